/**
 * The requests of a person with many agents on a large database, each against what the machine can do in the same run:
 *
 *   npm run bench -- overview [--only NAME[,NAME…]] [--lode FILE]
 */
import { runFigures } from './common/run-figures'
import { dayFigure, dayPostgresFigure } from './overview/day'
import { levelsFigure } from './overview/levels'

await runFigures([levelsFigure, dayFigure, dayPostgresFigure])
