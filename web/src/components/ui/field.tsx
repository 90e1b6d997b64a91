import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react'

/** Classes of an input. */
const BOX =
  'w-full rounded border border-line-strong bg-canvas px-2 text-sm text-ink placeholder:text-ink-3 aria-invalid:border-fail'

interface Labelled {
  label: string
  /** Help below the field. */
  hint?: ReactNode
  /** What is wrong with its content. */
  problem?: string | null
  /** Shows the label only to assistive technology; `placeholder` then repeats it for others. */
  isLabelHidden?: boolean
}

function Wrap({ id, label, hint, problem, isLabelHidden, children }: Labelled & { id: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className={isLabelHidden === true ? 'sr-only' : 'text-xs font-medium text-ink-2'}>
        {label}
      </label>
      {children}
      {hint === undefined ? null : <p className="text-xs text-ink-3">{hint}</p>}
      {problem ? (
        <p id={`${id}-problem`} role="alert" className="text-xs text-fail">
          {problem}
        </p>
      ) : null}
    </div>
  )
}

const wrong = (id: string, problem: string | null | undefined) =>
  problem ? ({ 'aria-invalid': true, 'aria-describedby': `${id}-problem` } as const) : {}

/** A labelled field of one line. */
export function TextField({
  label,
  hint,
  problem,
  isLabelHidden,
  className = '',
  ...rest
}: Labelled & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId()
  return (
    <Wrap {...{ id, label, hint, problem, isLabelHidden }}>
      <input
        id={id}
        type="text"
        autoComplete="off"
        spellCheck={false}
        {...wrong(id, problem)}
        {...rest}
        className={`${BOX} h-8 max-md:h-10 ${className}`}
      />
    </Wrap>
  )
}

/** A labelled field of several lines. */
export function TextArea({
  label,
  hint,
  problem,
  isLabelHidden,
  className = '',
  ...rest
}: Labelled & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const id = useId()
  return (
    <Wrap {...{ id, label, hint, problem, isLabelHidden }}>
      <textarea id={id} rows={5} {...wrong(id, problem)} {...rest} className={`${BOX} py-1.5 ${className}`} />
    </Wrap>
  )
}

/** A labelled choice. */
export function Select({
  label,
  hint,
  problem,
  isLabelHidden,
  className = '',
  children,
  ...rest
}: Labelled & SelectHTMLAttributes<HTMLSelectElement>) {
  const id = useId()
  return (
    <Wrap {...{ id, label, hint, problem, isLabelHidden }}>
      <select id={id} {...wrong(id, problem)} {...rest} className={`${BOX} h-8 pr-6 max-md:h-10 ${className}`}>
        {children}
      </select>
    </Wrap>
  )
}
