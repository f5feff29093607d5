"""All that pip needs to know stands in pyproject.toml; this only lets an editable install have the data files too."""

import setuptools


class Distribution(setuptools.Distribution):
    """Setuptools' editable install asks for ``has_data``, and its distribution calls that ``has_data_files``."""

    def has_data(self):
        return self.has_data_files()


setuptools.setup(distclass=Distribution)
