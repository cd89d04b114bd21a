"""From upstream's source, the hooks and the overlay to a JDK home; the developer's loop around them."""
