"""PostgreSQL: the pool, its repair, migrations, the embedded server, and what a server must offer."""
