"""The self-check: would the suite notice a wrong engine?"""
