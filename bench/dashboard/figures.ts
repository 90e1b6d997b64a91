import type { Figure } from '../common/figure'
import { homeFigure } from './home'
import { jobsFigure } from './jobs'
import { lanesFigure } from './lanes'
import { liveFigure } from './live'
import { longSessionFigure } from './long-session'
import { switchesFigure } from './switches'

export const figures: Figure[] = [homeFigure, switchesFigure, longSessionFigure, liveFigure, lanesFigure, jobsFigure]
