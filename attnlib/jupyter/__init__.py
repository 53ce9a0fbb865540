"""What a server, a lab or nbconvert loads of attnlib: widgets as they were left, and stills."""
