# The image of every role (ROLE=api, worker or all). PostgreSQL and Redis live elsewhere: docker-compose.yml shows the whole. Where
# DATABASE_URL and SECRETS_KEY are set it writes to PLATFORM_MEMORY alone, so its root may be read-only.
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
# Logs are kept where many read them: the live key is made by `cli key create`.
ENV NODE_ENV=production HOST=0.0.0.0 PRINT_KEYS=false PLATFORM_MEMORY=/memory
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/verify/dist verify/dist
COPY package.json ./
COPY prisma/migrations prisma/migrations
COPY prisma/functions prisma/functions
RUN install -d -o node -g node -m 0700 /memory
USER node
EXPOSE 4000 4001
CMD ["node", "--enable-source-maps", "--max-semi-space-size=32", "dist/main.js"]
