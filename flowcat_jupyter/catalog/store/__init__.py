"""The metadata database: engines, migrations, and one repository file per noun."""
