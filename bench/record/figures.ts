import type { Figure } from '../common/figure'
import { agentsFigure } from './agents'
import { agentsIdleFigure } from './agents-idle'
import { agentsLiveFigure } from './agents-live'
import { cliFigure } from './cli'
import { databasesFigure } from './databases'
import { durableFigure } from './durable'
import { hookFigure } from './hook'
import { importFigure } from './import'
import { lineageFigure } from './lineage'
import { liveFigure } from './live'
import { queriesFigure } from './queries'
import { readingFigure } from './reading'
import { rowsFigure } from './rows'
import { secretsFigure } from './secrets'

/** Every figure, in the order in which they are measured. */
export const figures: Figure[] = [
  importFigure,
  secretsFigure,
  agentsFigure,
  agentsLiveFigure,
  agentsIdleFigure,
  databasesFigure,
  durableFigure,
  hookFigure,
  cliFigure,
  queriesFigure,
  readingFigure,
  rowsFigure,
  lineageFigure,
  liveFigure,
]
