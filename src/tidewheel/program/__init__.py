"""Programs: the statements that bring a view up to date, with the results on the way that have a name."""

from tidewheel.program.extraction import program_of
from tidewheel.program.growth import pieces
from tidewheel.program.options import ProgramOptions
from tidewheel.program.program import Intermediate, Program, Step, reference_to

__all__ = ["Intermediate", "Program", "ProgramOptions", "Step", "pieces", "program_of", "reference_to"]
