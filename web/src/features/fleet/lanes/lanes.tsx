import { ZoomIn, ZoomOut } from 'lucide-react'
import { Button, IconButton } from '../../../components/ui/button'
import { Empty, Loading } from '../../../components/ui/empty'
import { ErrorCard } from '../../../components/ui/error-card'
import { KeyHint } from '../../../components/ui/key-hint'
import { Panel } from '../../../components/ui/panel'
import { counted } from '../../../lib/format'
import type { ListCursor } from '../../../lib/keys/list-cursor'
import { Choices } from '../../task/form/choices'
import { LaneList } from './lane-list'
import { LANE_SPANS, longer, shorter } from './lane-query'
import { lanesInWords, needsYou } from './lane-words'
import { useLaneKeys } from './use-lane-keys'
import type { LaneWork } from './use-lanes'

interface LanesPanelProps {
  work: LaneWork
  /** Its first rows are the lanes. */
  cursor: ListCursor
}

const SPANS = LANE_SPANS.map(([minutes, name]) => [String(minutes), name] as const)

/** What is at work, one lane each, by machine. */
export function LanesPanel({ work, cursor }: LanesPanelProps) {
  const { data, error, refetch, lanes } = work
  useLaneKeys(work, cursor)
  return (
    <Panel title="At work" id="lanes" count={data?.total ?? 0} aside={<Zoom work={work} />}>
      {error !== null && data === undefined ? <ErrorCard error={error} onRetry={() => void refetch()} /> : null}
      {data === undefined ? (
        error === null ? (
          <Loading what="Reading what is at work" />
        ) : null
      ) : lanes.length === 0 ? (
        <Empty title="No agent is at work." />
      ) : (
        <>
          <Sums work={work} />
          <LaneList work={work} data={data} cursor={cursor} />
        </>
      )}
    </Panel>
  )
}

function Zoom({ work: { minutes, setMinutes } }: { work: LaneWork }) {
  const [less, more] = [shorter(minutes), longer(minutes)]
  return (
    <>
      <IconButton label="Shorter time (+)" disabled={less === minutes} onClick={() => setMinutes(less)}>
        <ZoomIn aria-hidden size={15} />
      </IconButton>
      <IconButton label="Longer time (-)" disabled={more === minutes} onClick={() => setMinutes(more)}>
        <ZoomOut aria-hidden size={15} />
      </IconButton>
      <span className="max-sm:hidden">
        <Choices
          label="Time shown"
          choices={SPANS}
          chosen={String(minutes)}
          onChoose={(one) => setMinutes(LANE_SPANS.find(([known]) => String(known) === one)?.[0] ?? minutes)}
        />
      </span>
    </>
  )
}

function Sums({ work: { data, lanes, brushed, setBrush } }: { work: LaneWork }) {
  const hidden = (data?.total ?? 0) - lanes.length
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-x-3 border-b border-line px-3 py-1 text-xs text-ink-2">
      <span data-testid="lanes-sum">{lanesInWords(lanes)}</span>
      {lanes.some(needsYou) ? (
        <span className="text-ink-3 max-md:hidden">
          next that needs you <KeyHint keys="n" />
        </span>
      ) : null}
      {hidden > 0 ? <span>{counted(hidden, 'more agent')} not shown</span> : null}
      <span role="status" data-testid="lanes-brushed" className="ml-auto flex items-center gap-2">
        {brushed === null ? null : (
          <>
            {brushed.length} of {lanes.length} at work then; the lists below show theirs
            <Button look="quiet" onClick={() => setBrush(null)}>
              Clear <KeyHint keys="Escape" />
            </Button>
          </>
        )}
      </span>
    </div>
  )
}
