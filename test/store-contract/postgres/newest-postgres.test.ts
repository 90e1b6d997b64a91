/**
 * The newest PostgreSQL, which npm has, takes all migrations, makes the same schema of them, and runs the functions of short units. All other
 * tests run on the system's. `LODELINE_POSTGRES=npm` runs any of them there.
 */
import { SERVER_VARIABLE, TEMPLATE_VARIABLE } from '../../postgres'

process.env.LODELINE_POSTGRES = 'npm'
delete process.env[SERVER_VARIABLE]
delete process.env[TEMPLATE_VARIABLE]

await import('../schema-dump.test')
await import('./short-units.test')
