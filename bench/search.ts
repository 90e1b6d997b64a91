/**
 * How long searches take at a million events, on each database, beside the full-text index alone:
 *
 *   npm run bench -- search [--only sqlite|postgres] [--lode FILE] [--before FILE] [--kept FOLDER]
 */
import { runFigures } from './common/run-figures'
import { searchPostgresFigure, searchSqliteFigure } from './search/figures'

await runFigures([searchSqliteFigure, searchPostgresFigure])
