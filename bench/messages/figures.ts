import type { Figure } from '../common/figure'
import { handedFigure } from './handed'
import { manyFigure } from './many'

export const figures: Figure[] = [handedFigure, manyFigure]
