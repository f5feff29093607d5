"""What asks and answers: points in the learner's hand, guesses, goals, the line that runs. No widgets."""
