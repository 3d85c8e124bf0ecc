"""PostgreSQL: connection pool, pool repair, migrations, embedded server, and the requirements on a server."""
