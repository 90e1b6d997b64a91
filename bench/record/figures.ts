import { cliFigure } from './cli'
import { durableFigure } from './durable'
import type { Figure } from './figure'
import { hookFigure } from './hook'
import { importFigure } from './import'
import { liveFigure } from './live'
import { queriesFigure } from './queries'

/** Every figure, in the order in which they are measured. */
export const figures: Figure[] = [importFigure, durableFigure, hookFigure, cliFigure, queriesFigure, liveFigure]
