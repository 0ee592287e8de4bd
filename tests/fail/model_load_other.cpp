// wrote: student.load(teacher);
// write: get<"fc.weight">(student) = get<"fc.weight">(teacher);
// expect: Teacher
// first-error: load takes over the values of a model of the same struct
#include "weft/weft.hpp"
using namespace weft;

struct Student {
  nn::Linear<8, 4> fc;
};
struct Teacher {
  nn::Linear<8, 4> fc;
  nn::Linear<4, 4> more;
};

int main() {
  Model<Student> student(Cpu{}, 1);
  Model<Teacher> teacher(Cpu{}, 2);
#ifdef WEFT_FIXED
  get<"fc.weight">(student) = get<"fc.weight">(teacher);
#else
  student.load(teacher);
#endif
}
