import { Tick } from '../../../components/ui/tick'
import type { FieldProblems, TaskField, TaskForm } from './task-form'

/** The form with its problems. */
export interface TaskFieldsProps {
  form: TaskForm
  problems: FieldProblems
  change(next: Partial<TaskForm>): void
}

type Flag = { [Name in TaskField]: TaskForm[Name] extends boolean ? Name : never }[TaskField]
type Words = { [Name in TaskField]: string extends TaskForm[Name] ? Name : never }[TaskField]

/** Props of a text field. */
export const text = ({ form, problems, change }: TaskFieldsProps, name: Words) => ({
  value: form[name],
  problem: problems[name] ?? null,
  onChange: (event: { target: { value: string } }) => change({ [name]: event.target.value }),
})

/** A checkbox of the form. */
export function Check({ form, change, name, label }: TaskFieldsProps & { name: Flag; label: string }) {
  return <Tick label={label} is={form[name]} onIs={(is) => change({ [name]: is })} isSmall />
}
