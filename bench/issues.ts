/**
 * The figures of issues, each against what the machine can do in the same run:
 *
 *   npm run bench -- issues [--only NAME[,NAME…]] [--lode FILE]
 */
import { runFigures } from './common/run-figures'
import { figures } from './issues/figures'

await runFigures(figures)
