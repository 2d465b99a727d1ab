// What two sessions come to, figure by figure, and by how much the second differs.
import { Absent } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { differenceWords, FIGURES, type Compared, type Figure } from "./load-figures.ts";

export function FigureTable({ a, b }: { a: Compared; b: Compared }) {
  return (
    <div className="mt-6 px-6 max-md:px-4">
      <h2 className="text-15 font-semibold">What differs</h2>
      <table className="mt-1 w-full max-w-220 table-fixed" aria-label="What differs">
        <thead>
          <tr className="h-7 border-b border-line-strong text-12 text-ink-3">
            <th scope="col" className="w-44 text-left font-medium">
              <span className="sr-only">Figure</span>
            </th>
            {[a, b].map(({ session }, i) => (
              <th
                // oxlint-disable-next-line react/no-array-index-key -- a session may be compared with itself
                key={i}
                scope="col"
                className="num truncate pl-3 font-medium"
              >
                <SafeText text={session.title || "Untitled session"} />
              </th>
            ))}
            <th scope="col" className="num w-48 pl-3 font-medium">
              Difference
            </th>
          </tr>
        </thead>
        <tbody>
          {FIGURES.map((figure) => (
            <tr key={figure.label} className="h-7 border-b border-line hover:bg-sunk" title={figure.title}>
              <th scope="row" className="text-left font-normal whitespace-nowrap text-ink-2">
                {figure.label}
              </th>
              <FigureCell figure={figure} of={a} />
              <FigureCell figure={figure} of={b} />
              <td className="num pl-3 text-ink-2">{differenceWords(figure, a, b) ?? <Absent />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function FigureCell({ figure, of }: { figure: Figure; of: Compared }) {
  const value = figure.of(of);
  const isEstimated = figure.isEstimated === true || of.ledger.unattributedShare === null;
  return (
    <td className="num pl-3">
      {value === null ? (
        <Absent />
      ) : (
        <>
          {figure.isLowerBound?.(of) === true && "≥ "}
          {isEstimated && value !== 0 && <span className="text-ink-3">~</span>}
          {figure.words(value)}
        </>
      )}
    </td>
  );
}
