import type { Figure } from '../common/figure'
import { livesFigure } from './lives'
import { peersFigure } from './peers'
import { roundTripsFigure } from './round-trips'
import { acrossFigure, idleFigure, queueFigure } from './waiting'

export const figures: Figure[] = [roundTripsFigure, livesFigure, peersFigure, idleFigure, acrossFigure, queueFigure]
