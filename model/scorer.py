def load_scorer(path=None): raise NotImplementedError
