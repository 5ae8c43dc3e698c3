# One image for every role; `ROLES` says what a container does (docs/operations.md, "Containers").
ARG BASE=node:24-bookworm-slim

FROM ${BASE} AS build
# The product's own Node (from npm) needs it.
RUN apt-get update && apt-get install -y --no-install-recommends libatomic1
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

FROM ${BASE}
# With --build-arg PACKAGES=chromium, the pixel check can open pages.
ARG PACKAGES=""
RUN apt-get update \
    && apt-get install -y --no-install-recommends libatomic1 $PACKAGES \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin lead \
    && install -d -o lead -g lead -m 700 /data
WORKDIR /app
COPY --from=build /app ./
USER lead
ENV DATA_DIR=/data PORT=8080
VOLUME /data
EXPOSE 8080
# Whether the process lives. Whether a role can do its work is /readyz, which a load balancer asks.
HEALTHCHECK --interval=15s --timeout=5s --start-period=120s \
  CMD ["node_modules/.bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# The product's own Node, which npm has installed, and no shell in between: SIGTERM arrives.
ENTRYPOINT ["node_modules/.bin/node", "server/main.ts"]
