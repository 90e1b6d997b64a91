import type { Figure } from '../common/figure'
import { livesFigure } from './lives'
import { peersFigure } from './peers'
import { roundTripsFigure } from './round-trips'

export const figures: Figure[] = [roundTripsFigure, livesFigure, peersFigure]
