"""HTTP around the projects: the app, who may do what, limits, problem documents, OpenAPI, logs, metrics."""
