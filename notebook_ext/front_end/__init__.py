"""The front ends that show a kernel's notebook: their channel to the kernel, and what it asks of them."""
