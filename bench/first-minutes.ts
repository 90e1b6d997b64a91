/**
 * How long a person waits who calls Lodeline for the first time:
 *
 *   npm run bench -- first-minutes
 */
import { runFigures } from './common/run-figures'
import { npxFigure } from './first-minutes/npx'

await runFigures([npxFigure])
