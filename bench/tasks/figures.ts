import type { Figure } from '../common/figure'
import { accessFigure } from './access'
import { claimFigure } from './claim'
import { livesFigure } from './lives'
import { overheadFigure } from './overhead'
import { overheadAgentsFigure } from './overhead-agents'
import { queueFigure } from './queue'
import { restartFigure } from './restart'
import { sandboxFigure } from './sandbox'

export const figures: Figure[] = [
  accessFigure,
  claimFigure,
  livesFigure,
  queueFigure,
  restartFigure,
  overheadFigure,
  overheadAgentsFigure,
  sandboxFigure,
]
