"""What the operating system gives, and where it differs: files, locks, threads, platforms, libraries."""
