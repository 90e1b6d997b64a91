/**
 * What each page of the dashboard costs the server where there is much of everything; takes some minutes to fill a database:
 *
 *   npm run bench -- pages [--only pages|pages-postgres] [--lode FILE] [--kept FOLDER]
 */
import { runFigures } from './common/run-figures'
import { pagesFigure, pagesPostgresFigure } from './pages/figure'

await runFigures([pagesFigure, pagesPostgresFigure])
