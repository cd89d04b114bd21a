"""`terrace bench`: measurements, each beside the stock JVM or the peers that it names."""
