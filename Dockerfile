# One image, several commands: `run` does everything in one process, `migrate` comes first.

FROM python:3.12-slim-bookworm AS build
WORKDIR /source
RUN python -m venv /opt/askback
ENV PATH=/opt/askback/bin:$PATH \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1
COPY requirements.lock ./
RUN pip install --no-deps --require-hashes -r requirements.lock
COPY . .
RUN pip install --no-deps --no-build-isolation .

FROM python:3.12-slim-bookworm
# The number of the account is fixed, so that the rights of mounted folders can be set beforehand.
RUN useradd --uid 10001 --create-home --shell /usr/sbin/nologin askback
COPY --from=build /opt/askback /opt/askback
ENV PATH=/opt/askback/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    ASKBACK_LOG_FORMAT=json
USER 10001
WORKDIR /home/askback
# The process ends by itself when it fails; what it cannot see is whether its database is within reach.
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s \
    CMD ["python", "-c", "import os, psycopg; psycopg.connect(os.environ['DATABASE_URL'], connect_timeout=5).close()"]
ENTRYPOINT ["askback"]
CMD ["run"]
