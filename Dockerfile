FROM node:26-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY web/package.json web/
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:26-slim
# Outside loopback a token is needed (TURNWISE_TOKEN); names it is reached by go into TURNWISE_HOSTS, as in "box.lan, turnwise".
ENV NODE_ENV=production TURNWISE_HOME=/data TURNWISE_HOST=0.0.0.0
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/bin bin
COPY --from=build /app/dist dist
COPY --from=build /app/skills skills
COPY --from=build /app/vectors vectors
COPY --from=build /app/web/dist web/dist
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 4242
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:4242/healthz').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js", "serve"]
