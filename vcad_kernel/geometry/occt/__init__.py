"""The exact kernel on OpenCASCADE. Only this package (and the STEP and drawing writers) imports OCP."""
