"""What more than one package needs: paths, steps and failures, Maven, system packages, this machine, logs of collections."""
