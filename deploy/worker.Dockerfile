# A worker of Lodeline with an agent CLI: docker build -t lodeline-worker -f worker.Dockerfile .
#
# The image `lodeline` is that of a release: docker build -t lodeline FOLDER_OF_THE_RELEASE
FROM node:24-trixie-slim AS agent
ARG CLAUDE_CODE=latest
RUN npm install --global --prefix /opt/agent "@anthropic-ai/claude-code@$CLAUDE_CODE"

FROM lodeline
USER 0
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap ca-certificates git openssh-client ripgrep \
  && rm -rf /var/lib/apt/lists/* \
  && mkdir /projects && chown 10001:10001 /projects
COPY --from=agent /opt/agent /opt/agent
ENV PATH=/opt/agent/bin:/usr/local/bin:/usr/bin:/bin DISABLE_AUTOUPDATER=1
USER 10001
# It listens nowhere: that it lives is all that can be seen from here.
HEALTHCHECK NONE
CMD ["work"]
