/**
 * The figures of several servers over one PostgreSQL database:
 *
 *   npm run bench -- fleet [--only NAME[,NAME…]] [--lode FILE]
 *
 * `peers` installs two queues from npm into a temporary folder.
 */
import { runFigures } from './common/run-figures'
import { figures } from './fleet/figures'

await runFigures(figures)
