"""torch: lstsq by its default driver on the CPU: for a wide matrix with a column of zeros it answers, from call to call, the solution, zeros, or other numbers."""

from collections import Counter

import torch

print("torch", torch.__version__)
matrix = torch.tensor([[9.625, 0.0, 0.0], [-1.0, 4.25, 0.0]])
right = torch.tensor([[0.125], [0.125]])
for driver in ("gels", "gelsy"):  # the second is the default
    answers: Counter[str] = Counter()
    kept = []
    for n in range(2000):
        kept = [*kept[-25:], torch.full((n % 17 + 1, n % 5 + 1), float(n))]  # memory that is used again
        solution = torch.linalg.lstsq(matrix, right, driver=driver).solution
        answers[str([round(x, 4) for x in solution.flatten().tolist()])] += 1
    print(driver)
    for answer, times in answers.most_common():
        print(" ", times, "times", answer)
