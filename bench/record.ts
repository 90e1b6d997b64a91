/**
 * The figures of the record, each against what the machine can do in the same run:
 *
 *   npm run bench -- record [--only NAME[,NAME…]] [--lode FILE]
 */
import { runFigures } from './common/run-figures'
import { figures } from './record/figures'

await runFigures(figures)
