# The image of every role (ROLE=api, worker or all). PostgreSQL and Redis live elsewhere: docker-compose.yml and deploy/kubernetes show the whole.
# Where DATABASE_URL and SECRETS_KEY are set it writes to PLATFORM_MEMORY alone, so its root may be read-only.
#   docker build --label org.opencontainers.image.revision="$(git rev-parse HEAD)" -t agent-payments:0.2.0 .
FROM node:26.10.0-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY sdk/package.json sdk/
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json prisma.config.ts schema.graphql openapi.json ./
COPY prisma prisma
COPY scripts scripts
COPY docs docs
COPY src src
COPY verify verify
RUN node scripts/build.mjs

FROM node:26.10.0-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY sdk/package.json sdk/
# The embedded PostgreSQL is an optional package: not in here.
RUN npm ci --ignore-scripts --omit=dev --omit=optional

FROM node:26.10.0-slim
LABEL org.opencontainers.image.title="agent-payments" \
  org.opencontainers.image.description="A payments platform for software agents: wallets, an exact ledger, agent identity, spend control and commerce protocols over REST, GraphQL and events." \
  org.opencontainers.image.version="0.2.0" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.source="https://github.com/agent-payments/agent-payments" \
  org.opencontainers.image.base.name="docker.io/library/node:26.10.0-slim"
# Logs are kept where many read them: the live key is made by `cli key create`. Probes and metrics have a port in every role.
ENV NODE_ENV=production HOST=0.0.0.0 METRICS_PORT=9464 PRINT_KEYS=false PLATFORM_MEMORY=/memory
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/verify/dist verify/dist
COPY package.json LICENSE ./
COPY prisma/migrations prisma/migrations
COPY prisma/functions prisma/functions
RUN install -d -o node -g node -m 0700 /memory
# The user `node`, by its number: Kubernetes cannot tell from a name that it is not root.
USER 1000:1000
EXPOSE 4000 4001 9464
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "dist/cli.js", "health"]
CMD ["node", "--enable-source-maps", "--max-semi-space-size=32", "dist/main.js"]
