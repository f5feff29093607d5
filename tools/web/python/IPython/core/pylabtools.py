"""Nothing: pictures are drawn without windows."""
