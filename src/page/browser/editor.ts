import {
  defaultKeymap,
  history,
  historyKeymap,
  isolateHistory,
  undo,
  undoDepth,
} from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import type { FileProblem } from "../../model/file-problem.ts";

/** Shows the text of the mapping, which is the one document of the page: all else is a view of it. */
export function createEditor(parent: HTMLElement, text: string, onChange: () => void) {
  const nonce = document.querySelector<HTMLMetaElement>("meta[name=nonce]")?.content ?? "";
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        EditorView.cspNonce.of(nonce),
        lineNumbers(),
        history(),
        yaml(),
        syntaxHighlighting(classHighlighter),
        lintGutter(),
        EditorView.lineWrapping,
        // A change elsewhere on the page does not lead away from there.
        EditorView.scrollHandler.of(({ hasFocus }) => !hasFocus),
        // Tab leaves the text, as everywhere on the page.
        keymap.of([...lintKeymap, ...historyKeymap, ...defaultKeymap]),
        EditorView.contentAttributes.of({ "aria-label": "The mapping as text" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange();
        }),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    /** Changes what differs, and shows it. */
    setText(next: string) {
      const before = view.state.doc.toString();
      const most = Math.min(before.length, next.length);
      let from = 0;
      while (from < most && before[from] === next[from]) from++;
      let behind = 0;
      while (from + behind < most && before.at(-1 - behind) === next.at(-1 - behind)) behind++;
      const insert = next.slice(from, next.length - behind);
      const changes = { from, to: before.length - behind, insert };
      // Each click is taken back alone, however quick the next one is.
      const annotations = isolateHistory.of("full");
      view.dispatch({ changes, selection: { anchor: from }, annotations });
    },
    undo: () => void undo(view),
    canUndo: () => undoDepth(view.state) > 0,
    showProblems(problems: readonly FileProblem[]) {
      const { doc } = view.state;
      const diagnostics = problems.map((problem): Diagnostic => {
        const line = doc.line(Math.min(problem.line ?? 1, doc.lines));
        const from = Math.min(line.from + (problem.column ?? 1) - 1, line.to);
        return { from, to: line.to, severity: "error", message: problem.message };
      });
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
    goToLine(number: number) {
      const { from } = view.state.doc.line(Math.min(number, view.state.doc.lines));
      view.focus();
      const effects = EditorView.scrollIntoView(from, { y: "center" });
      view.dispatch({ selection: { anchor: from }, effects });
    },
  };
}
