/**
 * The figures of tasks, each against what the machine can do in the same run:
 *
 *   npm run bench -- tasks [--only NAME[,NAME…]] [--lode FILE]
 */
import { runFigures } from './common/run-figures'
import { figures } from './tasks/figures'

await runFigures(figures)
