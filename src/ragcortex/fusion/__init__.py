"""Both witnesses in one score: named signals of tokens, statements and the answer, weighed by small linear models."""
