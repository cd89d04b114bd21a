# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
# An image with the Terrace JDK in /opt/java/openjdk, as the images of eclipse-temurin have theirs:
#
#     docker build -t terrace:17-jdk .
#     docker run --rm -v /fast/disk:/h2 -v $PWD:/app terrace:17-jdk java -XX:AllocateH2At=/h2 -jar /app/app.jar
#
# The build takes 20 minutes on two cores and needs 6 GB of disk. It downloads Debian packages and Maven's artifacts, and no image besides
# Debian's. The context has to be a git checkout, because the image names its commit.
ARG DEBIAN=debian:12

FROM ${DEBIAN} AS build
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates git python3
WORKDIR /terrace
COPY . .
# Installs the packages that it needs.
RUN ./terrace dist --tar --out /dist \
    && mkdir -p /opt/java/openjdk \
    && tar xf /dist/terrace-jdk-*.tar.gz -C /opt/java/openjdk --strip-components 1

FROM ${DEBIAN}-slim
ENV JAVA_HOME=/opt/java/openjdk LANG=C.UTF-8
ENV PATH=$JAVA_HOME/bin:$JAVA_HOME/terrace/bin:$PATH
# Fonts and printing of java.desktop, certificates and time zones; the JDK itself needs what the image has.
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates fontconfig libfreetype6 libharfbuzz0b tzdata \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/java/openjdk $JAVA_HOME
# Fails here, and not at the user's, if a library is missing.
RUN java -Xshare:on -version && java -XX:AllocateH2At=/tmp -version && terrace --version
CMD ["jshell"]
