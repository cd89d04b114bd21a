"""`terrace dist`: the JDK home as an archive and as a Debian package."""
