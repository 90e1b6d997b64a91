import type { Figure } from '../common/figure'
import { commandsFigure } from './commands'
import { importFigure } from './import'

export const figures: Figure[] = [commandsFigure, importFigure]
