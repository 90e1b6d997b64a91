/**
 * How long a new user waits for Lodeline:
 *
 *   npm run bench -- first-minutes
 */
import { runFigures } from './common/run-figures'
import { npxFigure } from './first-minutes/npx'

await runFigures([npxFigure])
