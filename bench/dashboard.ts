/**
 * The figures of the dashboard, in a real browser on a record of a million events:
 *
 *   npm run bench -- dashboard [--only NAME[,NAME…]] [--lode FILE]
 */
import { runFigures } from './common/run-figures'
import { figures } from './dashboard/figures'

await runFigures(figures)
