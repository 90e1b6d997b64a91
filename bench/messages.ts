/**
 * The figures of messages, each against what the machine can do in the same run:
 *
 *   npm run bench -- messages [--only NAME[,NAME…]] [--lode FILE]
 */
import { runFigures } from './common/run-figures'
import { figures } from './messages/figures'

await runFigures(figures)
