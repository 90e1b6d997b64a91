import type { Figure } from '../common/figure'
import { linesFigure } from './lines'
import { livesFigure } from './lives'
import { peersFigure } from './peers'
import { roundTripsFigure } from './round-trips'
import { acrossFigure, idleFigure, queueFigure } from './waiting'

export const figures: Figure[] = [
  roundTripsFigure,
  livesFigure,
  peersFigure,
  linesFigure,
  idleFigure,
  acrossFigure,
  queueFigure,
]
