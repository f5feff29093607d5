from mlcore.bayes_classifiers import GaussianBayes
CONFORMANCE_INSTANCES = {"GaussianBayes": [GaussianBayes(shrinkage=0.1)]}
NOT_APPLICABLE = {"MultinomialNB": {"check_classifiers_train": "clouds of points are no counts of words: shares of coordinates do not tell them apart"}}
